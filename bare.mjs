import sharp from 'sharp'

await sharp('/tmp/w/l.jpg').resize(800).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toFile('/tmp/w/bare.jpg')
