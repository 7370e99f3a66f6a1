import type { Sources } from './variables.ts'

/** A hint that is one string for the command line and for HTTP. */
const PLAIN = /(?<!\w)hint: ('(?:[^'\\\n]|\\.)*'|"[^"\n]*"|`[^`\n]*`)/g
/** A command, an option or a flag, with which a client of the HTTP API can do nothing. `-->` and `---` are parts of files. */
const SHELL = /\s--\w|^.--\w|\bmediaproc \w|\s-[a-z]\b/
/** Folders whose errors never reach HTTP. */
const SHELL_ONLY = /^(?:bin|src\/(?:cli|generate|local))\//

/**
 * Hints for a command line that clients of the HTTP API would get, too, as sentences.
 * @param code all modules of the program
 */
export function hintFaults(code: Sources): string[] {
  const ours = [...code].filter(([path]) => !SHELL_ONLY.test(path))
  return ours.flatMap(([path, text]) =>
    [...text.matchAll(PLAIN)]
      .filter(([, hint = '']) => SHELL.test(hint))
      .map(([, hint]) => `${path}: the hint ${hint} is for a command line: { shell: … }`),
  )
}
