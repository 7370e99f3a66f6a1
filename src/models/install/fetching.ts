import type { ModelFile } from '../manifest.ts'

/** How fetching goes on. */
export interface FetchOptions {
  signal: AbortSignal
  /** Bytes that are here of all that have to come. */
  onProgress?(done: number, total: number, name: string): void
  /** Before the first further attempt of a source, in milliseconds. */
  pauseMs?: number
}

/** How the fetching of one part goes on, from 0 to 1. */
export interface PartProgress extends Pick<FetchOptions, 'signal' | 'pauseMs'> {
  onProgress(fraction: number): void
}

/** Takes a file that was found, when it is the right one. */
export type Receive = (file: ModelFile, path: string) => Promise<void>
