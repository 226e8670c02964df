import type { Page } from 'playwright-core';

/** Signs a user in by the page for it. */
export async function signInPage(page: Page, username: string, password: string): Promise<void> {
  await page.goto('/_admin/login');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
