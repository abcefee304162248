// Makes what the server opens instead of a model: graphs in ONNX's format with weights of seven bits. A program of its own:
// `npm ci` runs it without arguments, for the models that every recording needs; `steno models add` and a server that finds none
// for its model run it as
//   prepare-model MODEL [--sha256 SUM] --into FOLDER [--into FOLDER]
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import {
  cacheFolders,
  hashModel,
  locateModel,
  speakerModel,
} from '../../src/engines/speech/pool/model-file.ts';
import { priorityBelow } from '../../src/lib/priority.ts';
import { prepareModel } from './prepare.ts';

interface Wanted {
  path: string;
  sha256: string | null;
}

const { values, positionals } = parseArgs({
  options: { sha256: { type: 'string' }, into: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const [path] = positionals;
const wanted: Wanted[] = path
  ? [{ path, sha256: values.sha256 ?? null }]
  : [locateModel(''), { path: speakerModel(), sha256: null }];

// The server that waits for it answers others meanwhile.
setPriority(priorityBelow(5));
// Those who use the files may run as another user.
process.umask(0o022);
try {
  for (const model of wanted) {
    if (model.sha256 !== null && (await hashModel(model)) !== model.sha256)
      throw new Error(`${model.path} is damaged: its SHA-256 is not the published one`);
    prepareModel(model.path, values.into ?? cacheFolders());
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
