// Takes the place of `global-agent`, which only the install script of onnxruntime-node uses. On x64 Linux that script downloads
// CUDA libraries from another host, and `npm ci` fails without internet. Here it ends before it begins. npm 11.19 does not run it
// at all (`allowScripts`); older ones do.
exports.bootstrap = () => process.exit(0);
