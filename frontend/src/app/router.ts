import { createRouter, createWebHashHistory, createWebHistory, type RouterHistory, type Router } from 'vue-router'
import { needTexts } from './i18n'
import { ROOT, SITE_FACTS } from '@/host'

declare module 'vue-router' {
  interface RouteMeta {
    /** Key of the page's title. */
    title: string
  }
}

/** A view that comes with the texts of some features. */
export function screen<View>(load: () => Promise<View>, ...features: string[]): () => Promise<View> {
  return async () => (await Promise.all([load(), ...features.map((name) => needTexts(`../features/${name}`))]))[0]
}

/** A static host knows no address but that of its files: there the screen is named behind a hash. */
const usual = (): RouterHistory => (SITE_FACTS === null ? createWebHistory(`${ROOT}/`) : createWebHashHistory())

export function makeRouter(history: RouterHistory = usual()): Router {
  return createRouter({
    history,
    scrollBehavior: (_to, _from, saved) => saved ?? { top: 0 },
    routes: [
      { path: '/', name: 'home', component: () => import('@/features/home/HomeView.vue'), meta: { title: 'home.title' } },
      {
        path: '/play/:id',
        name: 'play',
        props: true,
        component: screen(() => import('@/features/play/PlayView.vue'), 'play', 'friend', 'proof'),
        meta: { title: 'play.title' },
      },
      {
        path: '/p/:code?',
        name: 'position',
        component: () => import('@/features/play/PositionView.vue'),
        meta: { title: 'position.title' },
      },
      {
        path: '/analysis/:code?',
        name: 'analysis',
        component: screen(() => import('@/features/analysis/AnalysisView.vue'), 'analysis', 'proof'),
        meta: { title: 'analysis.title' },
      },
      {
        path: '/proof/:code?',
        name: 'proof',
        component: screen(() => import('@/features/proof/ProofView.vue'), 'proof'),
        meta: { title: 'nav.proof' },
      },
      {
        path: '/review',
        name: 'reviews',
        component: screen(() => import('@/features/review/ReviewsView.vue'), 'review'),
        meta: { title: 'review.title' },
      },
      {
        path: '/review/:id',
        name: 'review',
        props: true,
        component: screen(() => import('@/features/review/ReviewView.vue'), 'review'),
        meta: { title: 'review.title' },
      },
      {
        path: '/engines',
        name: 'engines',
        component: screen(() => import('@/features/engines/EnginesView.vue'), 'engines'),
        meta: { title: 'nav.engines' },
      },
      {
        path: '/puzzles/:id?',
        name: 'puzzles',
        props: true,
        component: screen(() => import('@/features/puzzles/PuzzlesView.vue'), 'puzzles', 'review'),
        meta: { title: 'puzzle.title' },
      },
      {
        path: '/openings/:book?/:id?',
        name: 'openings',
        component: screen(() => import('@/features/openings/OpeningsView.vue'), 'openings', 'proof'),
        meta: { title: 'openings.title' },
      },
      {
        path: '/learn',
        name: 'learn',
        component: screen(() => import('@/features/learn/LearnView.vue'), 'learn', 'training'),
        meta: { title: 'learn.title' },
      },
      {
        path: '/training',
        name: 'training',
        component: screen(() => import('@/features/training/TrainingView.vue'), 'training'),
        meta: { title: 'nav.training' },
      },
      {
        path: '/training/:id',
        name: 'trainingRun',
        props: true,
        component: screen(() => import('@/features/training/TrainingRunView.vue'), 'training'),
        meta: { title: 'nav.training' },
      },
      {
        path: '/arena',
        name: 'arenas',
        component: screen(() => import('@/features/arena/ArenasView.vue'), 'arena'),
        meta: { title: 'arena.title' },
      },
      {
        path: '/arena/:id',
        name: 'arena',
        props: true,
        component: screen(() => import('@/features/arena/ArenaView.vue'), 'arena'),
        meta: { title: 'arena.title' },
      },
      {
        path: '/results/:id',
        name: 'results',
        props: true,
        component: screen(() => import('@/features/arena/ResultsView.vue'), 'arena'),
        meta: { title: 'arena.title' },
      },
      {
        path: '/settings',
        name: 'settings',
        component: () => import('@/features/settings/SettingsView.vue'),
        meta: { title: 'settings.title' },
      },
      {
        path: '/help',
        name: 'help',
        component: screen(() => import('@/features/help/HelpView.vue'), 'help'),
        meta: { title: 'help.title' },
      },
      { path: '/:rest(.*)*', name: 'missing', component: () => import('./MissingView.vue'), meta: { title: 'missing.title' } },
    ],
  })
}
