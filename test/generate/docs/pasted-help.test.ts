import { expect, test } from 'vitest'
import { exampleLine } from '../../../src/cli/help.ts'
import { PROGRAM_EXAMPLES } from '../../../src/generate/docs/man-program.ts'
import { pastedLines } from '../../../src/generate/docs/tool-page.ts'
import { useScannedCatalogue } from '../../../src/tool/registry.ts'
import { expectEnded, pastedEnvironment, readResults, usePastedLines } from '../../helpers/pasted.ts'
import { runProgramHere } from '../../helpers/program-here.ts'

const shell = usePastedLines('here')

/** What no shell changes: no quotes, patterns, variables or redirections. */
const PLAIN = /^[\w ./:,=%@+-]+$/

/** Only the plan is of interest: where no shell is involved, the program runs in this process. */
async function expectPlanned(line: string, cwd: string): Promise<void> {
  if (!PLAIN.test(line)) return void (await shell.expectDone(`${line} --dry-run`, cwd))
  const [, ...words] = line.split(' ')
  const environment = Object.fromEntries(Object.entries(pastedEnvironment()).flatMap(([n, v]) => (v ? [[n, v]] : [])))
  expectEnded(line, await runProgramHere([...words, '--dry-run'], { cwd, environment }))
}

/**
 * Help does not know what was pasted before: its lines have no folder for their outputs. Each in a fresh folder; what runs
 * on the pages of tools, but for that folder, is only planned.
 */
test('the lines of --help and of the manual pages', { timeout: 900_000 }, async () => {
  const shown = new Set([...pastedLines(readResults()).values()].flat())
  const ran = new Set([...shown].map((line) => line.replace(/ -d [\w-]+-examples(-\d+)?$/, '')))
  const entries = await useScannedCatalogue()
  const lines = entries.flatMap((entry) => entry.examples.map((example) => exampleLine(entry, example)))
  expect(lines.length).toBeGreaterThan(250)
  const unchanged = await shell.samples()
  for (const line of [...lines, ...PROGRAM_EXAMPLES.map(([, one]) => one)]) {
    if (shown.has(line)) continue
    if (ran.has(line)) await expectPlanned(line, unchanged)
    else await shell.expectDone(line, await shell.samples())
  }
})
