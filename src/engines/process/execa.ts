/**
 * execa in a separate module: it consists of 150 files, which took five times as long to load as the bundle that the
 * build creates (`generate/assets/one-file.ts`).
 */
export { execa } from 'execa'
