import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const BATCH = new URL('../../dist/src/job/batch.js', import.meta.url).href

/** Size of the young generation after much short-lived work, in MiB: the flag of V8 that limits it applies to a whole process. */
function youngGeneration(before: string): number {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { keepHeapSmall } from ${JSON.stringify(BATCH)}
    ${before}
    let kept = []
    for (let number = 0; number < 2_000_000; number += 1) {
      kept.push({ number })
      if (kept.length > 100_000) kept = []
    }
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20)`
  // V8's own limit depends on the memory of the machine.
  const args = ['--max-semi-space-size=16', '--input-type=module', '-e', program]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  return Number(stdout)
}

test('keepHeapSmall keeps the young generation small, which this V8 would enlarge', () => {
  expect(youngGeneration('')).toBeGreaterThan(15)
  expect(youngGeneration('keepHeapSmall()')).toBeLessThan(5)
})
