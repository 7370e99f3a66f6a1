/** Image sizes for social networks, px (catalogue: resize). */
export const SOCIAL_SIZES = {
  'instagram-post-square': { width: 1080, height: 1080 },
  'instagram-story-reel': { width: 1080, height: 1920 },
  'instagram-profile-picture': { width: 320, height: 320 },
  'instagram-landscape-post': { width: 1080, height: 566 },
  'instagram-portrait-post': { width: 1080, height: 1350 },
  'twitter-post-image': { width: 1200, height: 675 },
  'twitter-header': { width: 1500, height: 500 },
  'twitter-profile-picture': { width: 400, height: 400 },
  'facebook-post-image': { width: 1200, height: 630 },
  'facebook-cover-photo': { width: 820, height: 312 },
  'facebook-profile-picture': { width: 170, height: 170 },
  'facebook-event-cover': { width: 1920, height: 1005 },
  'youtube-thumbnail': { width: 1280, height: 720 },
  'youtube-channel-banner': { width: 2560, height: 1440 },
  'youtube-profile-picture': { width: 800, height: 800 },
  'linkedin-post-image': { width: 1200, height: 627 },
  'linkedin-banner': { width: 1584, height: 396 },
  'linkedin-profile-picture': { width: 400, height: 400 },
  'tiktok-video-cover': { width: 1080, height: 1920 },
  'tiktok-profile-picture': { width: 200, height: 200 },
  'whatsapp-profile-picture': { width: 500, height: 500 },
  'pinterest-pin': { width: 1000, height: 1500 },
  'threads-post-image': { width: 1080, height: 1080 },
} as const

export type SocialSize = keyof typeof SOCIAL_SIZES
