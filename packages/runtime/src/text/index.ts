// Names and texts of repositories, which are bytes: of gateways and workers, `vcs` included.
export { nameBytes, decodeName, encodeName, nameText } from './byte-names.ts';
export {
  decodeAs,
  decodeText,
  encodingOf,
  isTextEncoding,
  markedEncoding,
  setTextEncodings,
  withoutCutCharacter,
} from './decode-text.ts';
