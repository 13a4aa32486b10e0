using Opossum.Following;

namespace Opossum.Projections.Reading;

/// <summary>Work on the files of a projection for a caller's thread.</summary>
internal static class StateWork
{
    public static FileWork Of(ProjectionHost host, string projection) => new(host,
        $"The states of the projection {projection}", "Move it away; its contents are rebuilt.", e => new ProjectionException(projection, e));
}
