using Microsoft.Extensions.Logging;
using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>What all projections of a runner work with.</summary>
/// <param name="Store">The events.</param>
/// <param name="FileSystem">The store's file system.</param>
/// <param name="Volume">What is known of it.</param>
/// <param name="StoreRoot">The store's folder.</param>
/// <param name="Folder">The folder that holds a folder for each projection.</param>
/// <param name="Clock">The clock.</param>
/// <param name="Logger">Where is logged to.</param>
/// <param name="Options">How projections are kept up to date; nobody changes them any more.</param>
/// <param name="ThrowIfMoved">Throws a <see cref="FileSystemException"/> when the store's folder is not the one any more in which it was opened; never on a share.</param>
/// <param name="CanWrite">Whether the store is open for more than reading. If not, the states are read as other processes keep them.</param>
internal sealed record ProjectionHost(IEventStore Store, IFileSystem FileSystem, Volume Volume, string StoreRoot, string Folder, TimeProvider Clock, ILogger Logger, ProjectionOptions Options, Action ThrowIfMoved, bool CanWrite);
