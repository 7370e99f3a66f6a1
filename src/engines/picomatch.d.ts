/** The part of picomatch that is used; its package has no types. */
declare module 'picomatch' {
  interface Options {
    dot?: boolean
    basename?: boolean
  }
  export default function picomatch(pattern: string, options?: Options): (path: string) => boolean
}
