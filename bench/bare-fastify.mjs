// The rival of the server's benchmark: what a Fastify handler costs that calls sharp in its own process, and nothing else.
// The picture that it answers is the one that our tool makes: upright, JPEG 95, 4:4:4.
import multipart from '@fastify/multipart'
import Fastify from 'fastify'
import sharp from 'sharp'

const app = Fastify()
await app.register(multipart)
app.post('/resize', async (request, reply) => {
  const part = await request.file()
  const image = sharp(await part.toBuffer())
    .autoOrient()
    .resize(320)
  return reply.type('image/jpeg').send(await image.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer())
})
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
