/**
 * Test files share a process per worker, so a module is loaded once for several of them: a hook at its top would apply to the
 * first file only. Helpers register their cleanup here, and the set-up of every file calls it.
 */
type Clean = () => unknown

const afterTests: Clean[] = []
const afterFiles: Clean[] = []

/** Called after each test of every file. */
export const afterEveryTest = (clean: Clean): void => void afterTests.push(clean)

/** Called at the end of every test file. */
export const afterEveryFile = (clean: Clean): void => void afterFiles.push(clean)

export async function cleanAfterTest(): Promise<void> {
  for (const clean of afterTests) await clean()
}

export async function cleanAfterFile(): Promise<void> {
  for (const clean of afterFiles) await clean()
}
