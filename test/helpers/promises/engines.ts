import { describe, test } from 'vitest'
import { ENGINES } from '../../../src/engines/index.ts'
import type { Tool } from '../../../src/tool/contract.ts'

/** Ids of required engines that are not installed; determined before any test runs. */
export async function missingEngines({ engines }: Tool): Promise<string[]> {
  const missing: string[] = []
  for (const id of engines) {
    const engine = await ENGINES[id as keyof typeof ENGINES]()
    if (!(await engine.probe()).available) missing.push(id)
  }
  return missing
}

/** Replaces the tests of a tool whose engines are not installed. */
export function skipFor({ section, id }: Tool, missing: readonly string[]): void {
  describe(`${section}/${id}`, () => test.skip(`needs ${missing.join(', ')}`))
}
