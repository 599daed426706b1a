import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { i18n, setLocale } from './i18n'
import { makeRouter } from './router'
import { useSettings } from '@/features/settings/settings'
import '@/styles/tokens.css'
import '@/styles/base.css'

const pinia = createPinia()
const app = createApp(App).use(pinia).use(i18n).use(makeRouter())
void setLocale(useSettings(pinia).locale).then(() => app.mount('#app'))

if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  window.addEventListener('load', () => {
    // Without it the page works as well, only not offline.
    navigator.serviceWorker.register('/sw.js').catch(() => undefined)
  })
}
