import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { makeSamples } from '../../src/generate/assets/samples.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the inputs that all test files of one run share. */
    samples: string
  }
}

/**
 * Vitest's global set-up, which it calls for each project: one folder per run, removed at its end, or the folder of several
 * runs that `.ci/run` creates. Each ffmpeg has its own.
 */
export default function setup(project: TestProject): () => void {
  const { MEDIAPROC_TEST_SAMPLES: given, MEDIAPROC_FFMPEG: program = 'ffmpeg' } = process.env
  const parent = given ?? mkdtempSync(join(tmpdir(), 'mediaproc-samples-'))
  process.env.MEDIAPROC_TEST_SAMPLES = parent
  const folder = join(parent, createHash('sha256').update(program).digest('hex').slice(0, 12))
  mkdirSync(folder, { recursive: true })
  project.provide('samples', folder)
  const own = [project.config.env.MEDIAPROC_CACHE_DIR, given === undefined ? parent : undefined]
  return () => {
    for (const one of own) if (one) rmSync(one, { recursive: true, force: true })
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

/** A worker waits this often for another one that creates the same file, before it creates its own. */
const MOST_WAITS = 600
const WAIT_MS = 200

/**
 * One worker creates a file, and the others wait: the samples of the documentation take two seconds. A worker that ended
 * leaves its lock: then a second one creates the file, too. It appears by rename, and the later one is dropped.
 */
async function makeOnce(path: string, make: (path: string) => Promise<unknown>): Promise<string> {
  const lock = `${dirname(path)}.lock`
  for (let waits = 0; waits < MOST_WAITS && !existsSync(path) && !takes(lock); waits += 1) await pause(WAIT_MS)
  if (existsSync(path)) return path
  const part = mkdtempSync(join(inject('samples'), 'part-'))
  try {
    await make(join(part, basename(path)))
    moveTo(path, part)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
  return path
}

function moveTo(path: string, part: string): void {
  try {
    renameSync(part, dirname(path))
  } catch (error) {
    if (!existsSync(path)) throw error
    rmSync(part, { recursive: true, force: true })
  }
}

/** Whether this worker is the one that creates the file. */
function takes(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    return false
  }
}

/** The folder with the samples of the documentation. */
export function documentationSamples(): Promise<string> {
  return sharedSample(['documentation'], 'samples', makeSamples)
}
