import picomatch from 'picomatch'

/** Whether a path with forward slashes matches. */
export type PathTest = (path: string) => boolean

/**
 * Tests paths against a pattern, case-sensitively: `**` also matches hidden folders, and a pattern without a slash
 * matches the last part of the path.
 */
export function globTest(pattern: string): PathTest {
  return picomatch(pattern.replace(/^\.\//, ''), { dot: true, basename: !pattern.includes('/') })
}
