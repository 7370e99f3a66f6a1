import { copyFileSync, existsSync, mkdtempSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { extensionOf, openMediaFile, stemOf } from '../../../src/media/file.ts'
import { filledSuffix } from '../../../src/media/naming.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import { sha256, type Trial } from './trial.ts'

/** Everything that a shell, a terminal, a URL or an option parser could misread; é is decomposed. */
const HOSTILE_STEM = '-rf $(touch x);\n"\'%s*?[a]\\ <b>&#35; 😀 e\u0301 \u202efdp'

/** A time long ago, so that any write is detected. */
const LONG_AGO = new Date('2001-02-03T04:05:06Z')

/** A name without folders and control characters of its own: at most those of the input's name. */
function expectPlainName(name: string): void {
  for (const part of name.split('/')) {
    expect(part).not.toMatch(/^\.{0,2}$/)
    expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255)
  }
  expect(name.split('/').length).toBeLessThanOrEqual(2)
}

/** The output name that a declaration gives for an input. */
function declaredName({ naming, settings }: Tool, input: string, output: string): string | undefined {
  if (!naming) return undefined
  const [stem, extension] = [stemOf(input), extensionOf(output)]
  const plain = `${stem}.${extension}`
  if (naming.converts && plain.toLowerCase() !== input.toLowerCase()) return plain
  const defaults = Object.fromEntries(Object.entries(settings).map(([name, row]) => [name, row.default]))
  const suffix = filledSuffix(naming.suffix, defaults)
  return suffix === '' ? plain : `${stem}_${suffix}.${extension}`
}

/** The bytes of every output, by its name. */
export const hashesOf = ({ names, paths }: { names: string[]; paths: string[] }): [string, string][] =>
  names.map((name, index) => [name, sha256(paths[index]!)])

export interface EveryToolOptions {
  /** A valid input. */
  input: () => Promise<string>
  /** All inputs of a run with this one if it needs others, else only this one. */
  inputs?: ((path: string) => Promise<string[]>) | undefined
  /** Refused files: how to damage a valid one, such as by cutting it off. */
  damaged: Readonly<Record<string, (good: Buffer) => Buffer>>
  /** Kinds of damage that the tool does not detect, with the reason. */
  except?: Readonly<Record<string, string>> | undefined
}

/**
 * Guarantees of tools for all media: unchanged inputs, correct names, no leftovers of failures and aborts.
 */
export function describeEveryTool(
  trial: () => Trial,
  folder: string,
  { input, inputs = async (path) => [path], damaged, except = {} }: EveryToolOptions,
): void {
  const { tool } = trial()

  let hostile: string | undefined
  /** The valid input with an old time and a hostile name. */
  const ownCopy = async (): Promise<string> => {
    const good = await input()
    hostile ??= join(mkdtempSync(join(folder, 'own-')), HOSTILE_STEM + extname(good))
    if (existsSync(hostile)) return hostile
    copyFileSync(good, hostile)
    utimesSync(hostile, LONG_AGO, LONG_AGO)
    return hostile
  }

  test('the input is unchanged', async () => {
    const own = await ownCopy()
    await trial().run(await inputs(own))
    expect(sha256(own)).toBe(sha256(await input()))
    expect(statSync(own).mtimeMs).toBe(LONG_AGO.getTime())
  })

  test('a hostile name is only a name', async () => {
    const { names, paths } = await trial().run(await inputs(await ownCopy()))
    names.forEach(expectPlainName)
    for (const path of paths) expect(statSync(path).isFile()).toBe(true)
  })

  if (tool.naming)
    test('the output has the declared name', async () => {
      const good = await input()
      const { names } = await trial().run(await inputs(good))
      expect(names).toEqual([declaredName(tool, basename(good), names[0]!)])
    })

  test('every output has the type of its extension', async () => {
    const { paths, names } = await trial().run(await inputs(await input()))
    for (const [index, path] of paths.entries()) {
      const { type } = await openMediaFile(path, names[index])
      expect(type.extensions).toContain(extensionOf(names[index]!))
    }
    if (tool.output.kind === 'file') expect(paths.length).toBe(1)
    if (tool.output.kind.startsWith('files')) expect(paths.length).toBeGreaterThan(0)
    if (tool.output.kind === 'report') expect(paths).toEqual([])
  })

  if (tool.deterministic)
    test('the same input gives the same bytes', async () => {
      const one = await trial().run(await inputs(await input()))
      // A day later: a stored time always differs then, not only when a second passes in between.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
      const other = await trial()
        .runAgain(await inputs(await input()))
        .finally(() => vi.useRealTimers())
      expect(hashesOf(one)).toEqual(hashesOf(other))
      expect(one.report).toEqual(other.report)
    })

  // A tool that accepts every file has no damaged one.
  if (!tool.input.accept.includes('*'))
    test.each(Object.keys(damaged).filter((what) => !except[what]))(
      '%s is refused and leaves nothing',
      async (what) => {
        const good = await input()
        const bad = join(mkdtempSync(join(folder, 'bad-')), basename(good))
        writeFileSync(bad, damaged[what]!(readFileSync(good)))
        // As the last one if there are several: the work has started by then.
        await trial().refusal(tool.input.min > 1 ? [good, bad] : await inputs(bad))
      },
    )

  test('an abort before the start leaves nothing', async () => {
    expect(await trial().refusal(await inputs(await input()), { signal: AbortSignal.abort() })).toBe('CANCELED')
  })

  if (tool.output.kind !== 'report')
    test('an abort while writing the output leaves nothing', async () => {
      // A tool that only reports, or writes a file only if it has a result, has nothing to stop.
      if ((await trial().run(await inputs(await input()))).paths.length === 0) return
      const stop = new AbortController()
      const refusal = trial().refusal(await inputs(await input()), {
        signal: stop.signal,
        onOutput: () => stop.abort(),
      })
      expect(await refusal).toBe('CANCELED')
    })
}
