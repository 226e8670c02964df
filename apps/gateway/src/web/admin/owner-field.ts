import { text } from '../form/form-schema.tsx';

export const owner = text({ label: 'Owner', required: true, maxlength: 255, hint: 'A username.' });

export const newOwner = text({
  label: 'Owner',
  maxlength: 255,
  hint: 'A username. Leave empty to become the owner yourself.',
});
