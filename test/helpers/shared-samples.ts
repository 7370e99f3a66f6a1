import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { makeSamples } from '../../src/generate/assets/samples.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the inputs that all test files of one run share. */
    samples: string
  }
}

/** Vitest's global set-up: one folder per run, removed at its end. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-samples-'))
  project.provide('samples', folder)
  const cache = project.config.env.MEDIAPROC_CACHE_DIR
  return () => {
    for (const one of [folder, cache]) if (one) rmSync(one, { recursive: true, force: true })
  }
}

const made = new Map<string, Promise<string>>()

/**
 * A file or folder that is created once per run, by the first test file that needs it; the same recipe and name give the same path.
 * It must not be changed.
 * @param recipe distinguishes it from all others
 * @param name the last part of its path
 */
export function sharedSample(
  recipe: readonly unknown[],
  name: string,
  make: (path: string) => Promise<unknown>,
): Promise<string> {
  const key = createHash('sha256')
    .update(JSON.stringify([name, ...recipe]))
    .digest('hex')
    .slice(0, 12)
  const path = join(inject('samples'), key, name)
  let making = made.get(path)
  if (!making) {
    making = makeOnce(path, make)
    made.set(path, making)
  }
  return making
}

/** Two workers may create the same file concurrently: it appears by rename, and the second one is dropped. */
async function makeOnce(path: string, make: (path: string) => Promise<unknown>): Promise<string> {
  if (existsSync(path)) return path
  const folder = join(path, '..')
  const part = mkdtempSync(join(inject('samples'), 'part-'))
  await make(join(part, basename(path)))
  try {
    renameSync(part, folder)
  } catch (error) {
    if (!existsSync(path)) throw error
    rmSync(part, { recursive: true, force: true })
  }
  return path
}

/** The folder with the samples of the documentation. */
export function documentationSamples(): Promise<string> {
  return sharedSample(['documentation'], 'samples', makeSamples)
}
