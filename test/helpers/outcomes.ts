/** How many of several operations ended in which way: `done`, or a code. */
export function outcomes(results: readonly PromiseSettledResult<unknown>[]): Record<string, number> {
  const codes = results.map((one) => (one.status === 'fulfilled' ? 'done' : String(one.reason.code ?? one.reason)))
  return Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((one) => one === code).length]))
}
