import { ENVIRONMENT, type EnvironmentRow } from '../environment.ts'

/** Variables that hold secrets or the path of a secret file; jobs process untrusted files and need none of them. */
const SECRET = /(?:PASSWORD|SECRET|KEY|KEY_PREVIOUS|TOKEN|_FILE)$/i

/** The program's own, which the table of variables marks: their names need not say it. */
const DECLARED: ReadonlySet<string> = new Set(
  Object.entries<EnvironmentRow>(ENVIRONMENT).flatMap(([name, row]) => (row.secret ? [name] : [])),
)

/** Files that are not secret: without them, fonts and certificates would differ from those in a shell. */
const NEEDED = new Set(['FONTCONFIG_FILE', 'SSL_CERT_FILE'])

/** Environment of a child process: the parent's without secrets. */
export function childEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => NEEDED.has(name) || !(SECRET.test(name) || DECLARED.has(name))),
  )
}
