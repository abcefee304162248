import { createServer } from 'node:http';

// The least a Node server can do to send these bytes: they are there, the port is open.
const { headers, body }: { headers: [string, string][]; body: string } = JSON.parse(process.argv[2] ?? '');
const server = createServer((_request, response) => {
  for (const [name, value] of headers) response.setHeader(name, value);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) console.log(`http://127.0.0.1:${address.port}`);
});
