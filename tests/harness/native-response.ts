// When loaded, this module makes from the global Response what a handler returns whose response is sent already. The
// server of hono replaces the global Response later, and test files of one process start servers in any order.
import '@hono/node-server/utils/response';
