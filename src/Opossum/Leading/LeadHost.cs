using Opossum.FileSystem;

namespace Opossum.Leading;

/// <summary>What taking a lead needs of its store.</summary>
/// <param name="FileSystem">The store's file system.</param>
/// <param name="Volume">The properties of the file system.</param>
/// <param name="StoreRoot">The store's folder.</param>
/// <param name="Folder">The folder that holds a folder for each thing that is led.</param>
/// <param name="Clock">The clock.</param>
/// <param name="ThrowIfMoved">
/// Throws a <see cref="FileSystemException"/> when the store's folder is no longer the folder that was opened; never on a share.
/// </param>
internal record LeadHost(IFileSystem FileSystem, Volume Volume, string StoreRoot, string Folder, TimeProvider Clock, Action ThrowIfMoved);
