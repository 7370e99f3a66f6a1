/** Files of a drop or paste, also those in folders. */

interface Entry {
  isFile: boolean
  isDirectory: boolean
}

interface FileEntry extends Entry {
  file(done: (file: File) => void, failed: (error: Error) => void): void
}

interface FolderEntry extends Entry {
  createReader(): { readEntries(done: (entries: Entry[]) => void, failed: (error: Error) => void): void }
}

async function filesIn(entry: Entry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((done, failed) => (entry as FileEntry).file(done, failed))]
  if (!entry.isDirectory) return []
  const reader = (entry as FolderEntry).createReader()
  const found: File[] = []
  for (;;) {
    // Browsers return the entries in parts, the last of which is empty.
    const part = await new Promise<Entry[]>((done, failed) => reader.readEntries(done, failed))
    if (part.length === 0) return found
    for (const one of part) found.push(...(await filesIn(one)))
  }
}

/** Must be called in the event itself: its data are gone afterwards. */
export async function filesOf(data: DataTransfer): Promise<File[]> {
  const entries = [...data.items].flatMap((item) => (item.kind === 'file' ? (item.webkitGetAsEntry?.() ?? []) : []))
  const plain = [...data.files]
  if (!entries.some(({ isDirectory }) => isDirectory)) return plain
  return (await Promise.all(entries.map((entry) => filesIn(entry)))).flat()
}

export const hasFiles = (data: DataTransfer | null): boolean => data?.types.includes('Files') ?? false
