// Parse Server on the PostgreSQL of the measurement, with the settings of its guide for production. Prints its address.
import { createServer } from 'node:http';
import express from 'express';
import { ParseServer } from 'parse-server';

const [databaseURI, masterKey] = process.argv.slice(2);
const parse = new ParseServer({
  databaseURI,
  appId: 'bench',
  masterKey,
  masterKeyIps: ['127.0.0.1'],
  serverURL: 'http://127.0.0.1:1/parse',
  silent: true,
  logLevel: 'error',
  logsFolder: null,
  allowClientClassCreation: true,
});
await parse.start();
const app = express();
app.use('/parse', parse.app);
const server = createServer(app);
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/parse`));
