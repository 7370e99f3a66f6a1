/**
 * execa in a module of its own: its 150 files take five times as long to load as the single file that the build makes of
 * them (`generate/assets/bundle.ts`).
 */
export { execa } from 'execa'
