// The baseline of the server benchmark: a Fastify handler that only calls sharp in its own process.
// Its response equals that of our tool: upright JPEG with the input's own quality (sharp's 80) and chroma subsampling.
import multipart from '@fastify/multipart'
import Fastify from 'fastify'
import sharp from 'sharp'

const app = Fastify({ bodyLimit: 50_000_000 })
await app.register(multipart, { limits: { fileSize: 50_000_000 } })
const JPEG = { quality: 80 }
const picture = async (request) => sharp(await (await request.file()).toBuffer()).autoOrient()
const answer = async (reply, image) => reply.type('image/jpeg').send(await image.jpeg(JPEG).toBuffer())
app.post('/resize', async (request, reply) =>
  answer(reply, (await picture(request)).resize(Number(request.query.width ?? 320))),
)
app.post('/convert', async (request, reply) => answer(reply, await picture(request)))
app.post('/rotate', async (request, reply) => answer(reply, (await picture(request)).rotate(90)))
app.post('/info', async (request) => {
  const bytes = await (await request.file()).toBuffer()
  const { width, height, format, space } = await sharp(bytes).metadata()
  const { channels } = await sharp(bytes).stats()
  return { width, height, format, space, means: channels.map(({ mean }) => mean) }
})
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
