export const FolderNav = () => null;
