// Imported before anything else, by the process and by its threads. Plain JavaScript, because it must run before Node loads
// what reads TypeScript.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { usePackedPackages } from './packed-packages.js';

// Caches the compiled sources: the next start is faster and takes 18 MB less. Not in the system's temporary folder,
// where other users of the machine could plant code.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/steno', import.meta.url)));
usePackedPackages();
