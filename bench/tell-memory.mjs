// Preloaded into the server by `bench/serve.mjs --soak`: prints what the process holds at SIGUSR2, and at SIGUSR1 after it has
// collected garbage, so that what the program keeps can be told from what the engine and the allocator keep for later.
const tell = () => process.stdout.write(`${JSON.stringify(process.memoryUsage())}\n`)
process.on('SIGUSR2', tell)
process.on('SIGUSR1', () => {
  globalThis.gc()
  tell()
})
