import type { Cut } from './range.ts'

/** Nearer than this nobody sees where a clip begins, seconds. */
const UNSEEN_S = 0.02

const shown = (timeS: number): string => `${Number(timeS.toFixed(2))} s`

/** That a copied clip begins at a key frame, before the time that was asked for. */
export function beginsEarlier(cut: Pick<Cut, 'startS' | 'seekS'> | undefined): string[] {
  const { startS = 0, seekS = startS } = cut ?? {}
  if (seekS - startS < UNSEEN_S) return []
  return [`the clip begins at ${shown(startS)}, the key frame before ${shown(seekS)}: a copy cannot begin elsewhere`]
}
