// The rival of the server's benchmark: what a Fastify handler costs that calls sharp in its own process, and nothing else.
import multipart from '@fastify/multipart'
import Fastify from 'fastify'
import sharp from 'sharp'

const app = Fastify()
await app.register(multipart)
app.post('/resize', async (request, reply) => {
  const part = await request.file()
  return reply.type('image/jpeg').send(
    await sharp(await part.toBuffer())
      .resize(320)
      .jpeg()
      .toBuffer(),
  )
})
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
