/** A set of npm packages that is downloaded when a tool first needs it. */
export interface PackDeclaration {
  /** Its purpose, in half a sentence. */
  purpose: string
  /** Licences of its packages. */
  licence: string
  packages: readonly string[]
}

/**
 * The engine packs by name. Their packages are development dependencies, so a checkout has all of them. models/engines.json
 * pins versions and checksums, with what these packages depend on.
 */
export const PACKS = {
  exiftool: {
    purpose: 'removing single kinds of metadata, editing metadata, previews of raw files',
    licence: 'Artistic-1.0-Perl or GPL',
    packages: ['exiftool-vendored.pl'],
  },
  icodec: {
    purpose: 'reading and writing JPEG XL, writing HEIC',
    licence: 'MIT; contains GPL and LGPL parts',
    packages: ['icodec'],
  },
  chromium: {
    purpose: 'web pages as pictures, with an installed Chromium',
    licence: 'Apache-2.0',
    packages: ['playwright-core'],
  },
} as const satisfies Record<string, PackDeclaration>

export type PackName = keyof typeof PACKS
