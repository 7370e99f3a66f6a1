/** What the browser keeps. Storage can be blocked or full: then nothing is kept, and the page works without it. */

/** Reading `localStorage` itself throws where it is blocked, so it is passed as a function. */
type Place = () => Storage

const LOCAL: Place = () => localStorage

/** For one visit of a tab. */
export const OF_TAB: Place = () => sessionStorage

export function stored(key: string, place = LOCAL): string | undefined {
  try {
    return place().getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text; undefined removes it. */
export function store(key: string, text: string | undefined, place = LOCAL): void {
  try {
    if (text === undefined) place().removeItem(key)
    else place().setItem(key, text)
  } catch {
    // Blocked or full.
  }
}
