import type { FfprobeAnswer } from '../../engines/ffmpeg/ffprobe-answer.ts'
import { FileView } from '../verify/file-view.ts'

/** A stream as ffprobe reports it. */
export type RawStream = NonNullable<FfprobeAnswer['streams']>[number]

/** A file has something that only ffprobe reads, or may be damaged. */
export class Doubt extends Error {}

/** @throws Doubt unless the condition is met */
export function expect(condition: boolean): asserts condition {
  if (!condition) throw new Doubt()
}

/** A value that must be known. @throws Doubt without a value */
export function known<T>(value: T | undefined): T {
  expect(value !== undefined)
  return value
}

/** Reads a file in place of ffprobe. @returns undefined in doubt @throws the system's error when it cannot be read */
export function unlessInDoubt<T>(path: string, read: (file: FileView) => T): T | undefined {
  try {
    return FileView.with(path, read)
  } catch (error) {
    if (error instanceof Doubt) return undefined
    throw error
  }
}
