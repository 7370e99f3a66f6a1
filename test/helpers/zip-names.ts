import { open } from 'yauzl'

/** The names in a ZIP, in order, read with an independent library. */
export function readZip(path: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    open(path, { lazyEntries: true }, (error, archive) => {
      if (error) return reject(error)
      const names: string[] = []
      archive.on('entry', ({ fileName }: { fileName: string }) => {
        names.push(fileName)
        archive.readEntry()
      })
      archive.on('end', () => resolve(names))
      archive.on('error', reject)
      archive.readEntry()
    })
  })
}
