import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

/**
 * Loaded before a decoding process: while the file MISSING exists, the packages that MISSING_PACKAGES names cannot be found,
 * as during an `npm ci`.
 */
const { MISSING = '', MISSING_PACKAGES = '' } = process.env;

registerHooks({
  resolve(specifier, context, next) {
    if (existsSync(MISSING) && MISSING_PACKAGES.split(' ').includes(specifier))
      throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(specifier, context);
  },
});
