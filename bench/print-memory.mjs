// Preloaded into the server by `bench/serve.mjs --soak`: prints the memory of the process at SIGUSR2, and at SIGUSR1
// after a garbage collection, to distinguish retained memory from what the engine and the allocator reserve.
const print = () => process.stdout.write(`${JSON.stringify(process.memoryUsage())}\n`)
process.on('SIGUSR2', print)
process.on('SIGUSR1', () => {
  globalThis.gc()
  print()
})
