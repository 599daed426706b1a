import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { i18n } from './i18n'
import { makeRouter } from './router'
import './styles/tokens.css'
import './styles/base.css'

createApp(App).use(createPinia()).use(i18n).use(makeRouter()).mount('#app')
