/**
 * Returns a function that calls `open` on its first call only. A module that is loaded when it is needed is loaded with it:
 * `import()` resolves its name on every call, which takes 30 µs, also of a module that is there.
 */
export function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined
  return () => {
    opened ??= open()
    return opened
  }
}
