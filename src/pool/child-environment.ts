/** Names of variables that hold secrets, or the file of one; jobs work on strangers' files and need none of them. */
const SECRET = /(?:PASSWORD|SECRET|KEY|TOKEN|_FILE)$/i

/** The environment of a child process: ours without secrets. */
export function childEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !SECRET.test(name)))
}
