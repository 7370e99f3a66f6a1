import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { openRedis, type Redis } from '../../src/engines/redis/redis.ts'
import { selfSigned } from '../helpers/certificate.ts'
import { freePort } from '../helpers/free-port.ts'
import { startRedis, type TestRedis } from '../helpers/redis.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const server = await startRedis()
const others: TestRedis[] = []
const opened: Redis[] = []
afterEach(async () => {
  for (const redis of opened.splice(0)) await redis.close()
})
afterAll(async () => {
  await server.stop()
  for (const other of others) await other.stop()
})

async function open(url = server.url, space = 'test'): Promise<Redis> {
  const redis = await openRedis({ url }, space)
  opened.push(redis)
  return redis
}

async function other(...settings: string[]): Promise<TestRedis> {
  const redis = await startRedis(...settings)
  others.push(redis)
  return redis
}

const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe('events', () => {
  test('reach the subscribers of all processes, until they stop', async () => {
    const [one, two] = [await open(), await open()]
    const got: string[] = []
    // The second one also waits until the server has the subscription.
    const first = two.subscribe('job', (text) => got.push(`a ${text}`))
    const stops = [await two.subscribe('job', (text) => got.push(`b ${text}`)), await first]
    await two.subscribe('other', (text) => got.push(`c ${text}`))
    one.publish('job', '1')
    await until(() => got.length === 2)
    stops[0]!()
    one.publish('job', '2')
    await until(() => got.length === 3)
    stops[1]!()
    one.publish('job', '3')
    one.publish('other', '4')
    await until(() => got.length === 4)
    expect(got).toEqual(['a 1', 'b 1', 'a 2', 'c 4'])
    expect(server.command('pubsub', 'channels')).toBe('mediaproc:test:other')
  })

  test('the servers of two databases that share Redis do not mix', async () => {
    const [one, two] = [await open(server.url, 'one'), await open(server.url, 'two')]
    const got: string[] = []
    await two.subscribe('job', (text) => got.push(text))
    one.publish('job', 'of 1')
    two.publish('job', 'of 2')
    await until(() => got.length > 0)
    expect(got).toEqual(['of 2'])
    expect([await one.take('user', 1, 60_000), await two.take('user', 1, 60_000)]).toEqual([true, true])
  })

  test('after a cut, channels are subscribed again, and followers are called', async () => {
    const proxy = await startTcpProxy(server.port)
    const redis = await open(`redis://127.0.0.1:${proxy.port}`)
    const sender = await open()
    const got: string[] = []
    await redis.subscribe('job', (text) => got.push(text))
    let calls = 0
    const stop = redis.onReconnect(() => calls++)
    proxy.cutClients()
    await until(() => calls === 1)
    sender.publish('job', 'again')
    await until(() => got.length === 1)
    stop()
    proxy.cutClients()
    await until(() => redis.ping())
    expect([got, calls]).toEqual([['again'], 1])
    proxy.close()
  })

  test('after a cut, a subscription that is refused now does not replace the connection', async () => {
    server.command('acl', 'setuser', 'changed', 'on', '>word', '~*', '&*', '+@all')
    const proxy = await startTcpProxy(server.port)
    const redis = await open(`redis://changed:word@127.0.0.1:${proxy.port}`)
    await redis.subscribe('job', () => {})
    let calls = 0
    redis.onReconnect(() => calls++)
    server.command('acl', 'setuser', 'changed', 'resetchannels')
    await until(() => calls === 1)
    await until(() => redis.isAvailable)
    expect(calls).toBe(1)
    proxy.close()
  })

  test('FLUSHALL loses no subscription and starts counters again', async () => {
    const redis = await open()
    const got: string[] = []
    await redis.subscribe('job', (text) => got.push(text))
    expect(await redis.count('flushed', 60_000)).toEqual({ count: 1, leftMs: expect.any(Number) })
    server.command('flushall')
    redis.publish('job', 'still there')
    await until(() => got.length === 1)
    expect((await redis.count('flushed', 60_000))?.count).toBe(1)
  })
})

describe('counters', () => {
  test('count once for all processes, in a window that ends', async () => {
    const all = [await open(), await open(), await open()]
    const counts = await Promise.all(Array.from({ length: 30 }, (_, index) => all[index % 3]!.count('window', 60_000)))
    expect(counts.map((each) => each?.count).sort((one, two) => one! - two!)).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 1),
    )
    await all[0]!.count('short', 30)
    await until(() => server.command('exists', 'mediaproc:test:short') === '0')
    expect((await all[1]!.count('short', 30))?.count).toBe(1)
  })

  test('of the last minute, raced from three processes, exactly the limit is taken', async () => {
    const all = [await open(), await open(), await open()]
    const taken = await Promise.all(Array.from({ length: 60 }, (_, index) => all[index % 3]!.take('user', 20, 60_000)))
    expect(taken.filter((each) => each === true)).toHaveLength(20)
    expect(taken.filter((each) => each === false)).toHaveLength(40)
    expect(Number(server.command('pttl', 'mediaproc:test:user'))).toBeGreaterThan(50_000)
    const window = 300
    await all[0]!.take('sliding', 1, window)
    await until(async () => (await all[1]!.take('sliding', 1, window)) === true)
  })
})

describe('while the server is away', () => {
  test('nothing waits and nothing fails; it comes back by itself', async () => {
    const away = await other()
    const redis = await open(away.url)
    const got: string[] = []
    await redis.subscribe('early', (text) => got.push(text))
    await away.kill()
    await until(async () => !(await redis.ping()))
    redis.publish('early', 'lost')
    expect([await redis.count('a', 1000), await redis.take('b', 1, 1000)]).toEqual([undefined, undefined])
    await redis.subscribe('late', (text) => got.push(text))
    let calls = 0
    redis.onReconnect(() => calls++)
    await away.start()
    await until(() => calls > 0)
    await until(() => redis.ping())
    redis.publish('early', 'early')
    redis.publish('late', 'late')
    await until(() => got.length === 2)
    expect(got.sort()).toEqual(['early', 'late'])
    await until(() => redis.isAvailable)
    expect((await redis.count('a', 1000))?.count).toBe(1)
  })

  test('one that hangs is noticed, and its connections are replaced', async () => {
    const proxy = await startTcpProxy(server.port)
    const redis = await open(`redis://127.0.0.1:${proxy.port}`)
    let calls = 0
    redis.onReconnect(() => calls++)
    proxy.freeze(true)
    expect(await redis.count('frozen', 1000)).toBeUndefined()
    expect(redis.isAvailable).toBe(false)
    for (let index = 0; index < 50_000; index++) redis.publish('job', 'x')
    proxy.freeze(false)
    await until(() => redis.isAvailable)
    expect(await redis.count('frozen', 1000)).toBeDefined()
    proxy.close()
  })
})

describe('at the start', () => {
  const failure = (url: string) =>
    openRedis({ url }, 'test').then(
      () => 'opened',
      ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
    )

  test('a server that removes keys is refused', async () => {
    const evicting = await other('--maxmemory-policy', 'allkeys-lru')
    expect(await failure(evicting.url)).toBe(
      'INVALID_CONFIG The Redis server of REDIS_URL removes keys when its memory is full (allkeys-lru)',
    )
  })

  test('passwords and users are checked', async () => {
    const closed = await other('--requirepass', 'right/word')
    const at = `127.0.0.1:${closed.port}`
    const sentence = 'INVALID_CONFIG Redis refuses the user or password of REDIS_URL'
    expect(await failure(`redis://${at}`)).toBe(sentence)
    expect(await failure(`redis://:wrong@${at}`)).toBe(sentence)
    expect(await failure(`redis://nobody:right%2Fword@${at}`)).toBe(sentence)
    expect(await failure(`redis://:right%2Fword@${at}`)).toBe('opened')
    expect(await failure(`redis://default:right%2Fword@${at}`)).toBe('opened')
  })

  test.each([
    ['channels', ['resetchannels']],
    ['scripts', ['-eval']],
    ['a command of the scripts', ['-zadd']],
    ['keys', ['resetkeys', '~other:*']],
  ])('a user without %s is refused', async (_what, rights) => {
    server.command('acl', 'setuser', 'part', 'reset', 'on', '>word', '~*', '&*', '+@all', ...rights)
    expect(await failure(`redis://part:word@127.0.0.1:${server.port}`)).toBe(
      'INVALID_CONFIG The user of REDIS_URL may not use the commands that are needed',
    )
  })

  test('the rights of the documentation are enough', async () => {
    const commands = [
      'publish',
      'subscribe',
      'unsubscribe',
      'eval',
      'select',
      'ping',
      'info',
      'incr',
      'pexpire',
      'pttl',
    ]
    const all = [...commands, 'time', 'zadd', 'zcard', 'zremrangebyscore'].map((name) => `+${name}`)
    server.command('acl', 'setuser', 'least', 'on', '>word', '~mediaproc:*', '&mediaproc:*', '-@all', ...all)
    const redis = await open(`redis://least:word@127.0.0.1:${server.port}`)
    expect([await redis.take('least', 1, 1000), await redis.ping()]).toEqual([true, true])
  })

  test('a server of a Redis Cluster is refused', async () => {
    const cluster = await other('--cluster-enabled', 'yes')
    expect(await failure(cluster.url)).toBe('INVALID_CONFIG The Redis server of REDIS_URL is part of a Redis Cluster')
  })

  test('a host that has auth in its name and does not exist', async () => {
    expect(await failure('redis://auth.invalid')).toMatch(/^STORE_UNAVAILABLE The Redis server/)
  })

  test('a user who may not ask for the policy gets a warning', async () => {
    server.command('acl', 'setuser', 'small', 'on', '>word', '~*', '&*', '+@all', '-info')
    const warnings: string[] = []
    const redis = await openRedis({ url: `redis://small:word@127.0.0.1:${server.port}` }, 'test', (message) =>
      warnings.push(message),
    )
    expect(warnings).toEqual([
      'The version of Redis cannot be read: 6.2 or later is needed',
      'The eviction policy of Redis cannot be read: maxmemory-policy must be noeviction',
    ])
    await redis.close()
  })

  test('no server, and no such database', async () => {
    expect(await failure(`redis://127.0.0.1:${await freePort()}`)).toMatch(/^STORE_UNAVAILABLE The Redis server/)
    expect(await failure(`${server.url}/99`)).toMatch(/^INVALID_CONFIG .*does not have the database/)
    expect(await failure(`${server.url}/x`)).toMatch(/^INVALID_CONFIG Expected the number of a database/)
    expect(await failure(`${server.url}?retryStrategy=1`)).toMatch(/^INVALID_CONFIG Expected cacert, cert or key/)
  })

  test('TLS with an own authority', async () => {
    const { key, certificate } = selfSigned('localhost')
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    writeFileSync(keyFile, key)
    writeFileSync(certFile, certificate)
    const port = await freePort()
    await other(
      '--tls-port',
      String(port),
      '--tls-cert-file',
      certFile,
      '--tls-key-file',
      keyFile,
      '--tls-auth-clients',
      'no',
      '--tls-ca-cert-file',
      certFile,
    )
    const url = `rediss://localhost:${port}`
    // The connections of an attempt fail one after the other, and must not end the process.
    const failures = await Promise.all(Array.from({ length: 20 }, () => failure(url)))
    expect(new Set(failures)).toEqual(
      new Set(['INVALID_CONFIG No TLS connection to the Redis server of REDIS_URL is possible']),
    )
    expect(await failure(`${url}?cacert=${certFile}`)).toBe('opened')
    expect(await failure(`${url}?cacert=${join(folder, 'none')}`)).toMatch(/cannot be read/)
  })
})
