/** For tests of what reads media files in place of ffprobe. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import type { MediaInfo } from '../../src/engines/ffmpeg/media-info.ts'
import { sharedMedia, temporaryPath } from './av.ts'
import { randomFrom } from './random.ts'

/** A tone, written once with these options of ffmpeg. */
export const tone = (name: string, seconds: number, ...options: string[]): Promise<string> =>
  sharedMedia([name, seconds, ...options], name, (path) =>
    runFfmpeg(['-f', 'lavfi', '-i', `sine=d=${seconds}`, ...options, path]).then(() => {}),
  )

/** A copy of a file with other content. */
export function changedCopy(path: string, change: (content: Buffer) => Buffer): string {
  const copy = temporaryPath(`changed${/\.\w+$/.exec(path)?.[0]}`)
  writeFileSync(copy, change(readFileSync(path)))
  return copy
}

/** Work with an ffprobe that always fails. */
export async function withoutFfprobe<T>(work: () => Promise<T>): Promise<T> {
  const program = temporaryPath('ffprobe')
  writeFileSync(program, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  vi.stubEnv('MEDIAPROC_FFPROBE', program)
  try {
    return await work()
  } finally {
    vi.unstubAllEnvs()
  }
}

/**
 * Expects that copies with another byte near the beginning are read as ffprobe reads them, or not at all.
 * @returns how many of 60 were read
 */
export async function readDamaged(
  path: string,
  within: number,
  read: (path: string) => MediaInfo | undefined,
  byFfprobe: (path: string) => Promise<MediaInfo>,
): Promise<number> {
  const { between } = randomFrom(7)
  let count = 0
  for (let round = 0; round < 60; round += 1) {
    const copy = changedCopy(path, (content) => {
      content[between(0, within - 1)] = between(0, 255)
      return content
    })
    const info = read(copy)
    if (!info) continue
    count += 1
    expect(info).toEqual(await byFfprobe(copy))
  }
  return count
}
