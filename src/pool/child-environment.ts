/** Names of variables that hold secrets, or the file of one; jobs work on strangers' files and need none of them. */
const SECRET = /(?:PASSWORD|SECRET|KEY|KEY_PREVIOUS|TOKEN|_FILE)$/i

/** Files that are no secrets: without them text and certificates would be others than at the shell. */
const NEEDED = new Set(['FONTCONFIG_FILE', 'SSL_CERT_FILE'])

/** The environment of a child process: ours without secrets. */
export function childEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(own).filter(([name]) => NEEDED.has(name) || !SECRET.test(name)))
}
