const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(?:e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Windows/, 'Windows'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Android/, 'Android'],
  [/Linux/, 'Linux'],
]

/** `Firefox, Linux` from a User-Agent header; '' if nothing is known. */
export function browserOf(userAgent: string | null): string {
  const text = userAgent ?? ''
  const first = (rows: readonly (readonly [RegExp, string])[]): string =>
    rows.find(([pattern]) => pattern.test(text))?.[1] ?? ''
  return [first(BROWSERS), first(SYSTEMS)].filter(Boolean).join(', ') || text.slice(0, 40)
}
