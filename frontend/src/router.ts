import { createRouter, createWebHistory, type RouterHistory, type Router } from 'vue-router'

declare module 'vue-router' {
  interface RouteMeta {
    /** Key of the page's title. */
    title: string
  }
}

export function makeRouter(history: RouterHistory = createWebHistory()): Router {
  return createRouter({
    history,
    scrollBehavior: (_to, _from, saved) => saved ?? { top: 0 },
    routes: [
      { path: '/', name: 'home', component: () => import('./views/HomeView.vue'), meta: { title: 'home.title' } },
      { path: '/play/:id', name: 'play', props: true, component: () => import('./views/PlayView.vue'), meta: { title: 'play.title' } },
      { path: '/p/:code?', name: 'position', component: () => import('./views/PositionView.vue'), meta: { title: 'position.title' } },
      { path: '/settings', name: 'settings', component: () => import('./views/SettingsView.vue'), meta: { title: 'settings.title' } },
      { path: '/help', name: 'help', component: () => import('./views/HelpView.vue'), meta: { title: 'help.title' } },
      { path: '/:rest(.*)*', name: 'missing', component: () => import('./views/MissingView.vue'), meta: { title: 'missing.title' } },
    ],
  })
}
