import { createPinia } from 'pinia'
import { createApp } from 'vue'
import { chooseBackend } from '@/backend'
import App from './App.vue'
import { i18n, setLocale } from './i18n'
import { fileUrl } from '@/host'
import { makeRouter } from './router'
import { useSettings } from '@/features/settings/settings'
import '@/styles/tokens.css'
import '@/styles/base.css'

const pinia = createPinia()
const app = createApp(App).use(pinia).use(i18n).use(makeRouter())
/** Keeping all files is work: it waits until a first move can have been answered, longer where the page came slowly. */
const keepAfterMs = () => Math.max(2000, 4 * performance.now())

void Promise.all([setLocale(useSettings(pinia).locale), chooseBackend()]).then(() => {
  app.mount('#app')
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // Without it the page works as well, only not offline.
  window.setTimeout(() => void navigator.serviceWorker.register(fileUrl('sw.js')).catch(() => undefined), keepAfterMs())
})
