// What a handler returns whose response is sent already is made of the global Response when this module is loaded.
// The server of hono replaces that one later, and test files of one process start servers in any order.
import '@hono/node-server/utils/response';
