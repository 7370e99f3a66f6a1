/**
 * execa, by itself: it is 150 files, whose loading took five times as long as that of the one file which the build makes of
 * them (`generate/assets/bundle.ts`).
 */
export { execa } from 'execa'
