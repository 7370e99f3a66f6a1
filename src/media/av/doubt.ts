import type { FfprobeAnswer } from '../../engines/ffmpeg/ffprobe-answer.ts'

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
