/**
 * Fields of the Go types of a volume (k8s.io/api v0.30.3). How a row is read: `go-types.ts`.
 */
export const VOLUME_TYPES = `
Volume name:string hostPath?*:HostPathVolumeSource emptyDir?*:EmptyDirVolumeSource
  gcePersistentDisk?*:GCEPersistentDiskVolumeSource awsElasticBlockStore?*:AWSElasticBlockStoreVolumeSource
  gitRepo?*:GitRepoVolumeSource secret?*:SecretVolumeSource nfs?*:NFSVolumeSource iscsi?*:ISCSIVolumeSource
  glusterfs?*:GlusterfsVolumeSource persistentVolumeClaim?*:PersistentVolumeClaimVolumeSource rbd?*:RBDVolumeSource
  flexVolume?*:FlexVolumeSource cinder?*:CinderVolumeSource cephfs?*:CephFSVolumeSource
  flocker?*:FlockerVolumeSource downwardAPI?*:DownwardAPIVolumeSource fc?*:FCVolumeSource
  azureFile?*:AzureFileVolumeSource configMap?*:ConfigMapVolumeSource vsphereVolume?*:VsphereVirtualDiskVolumeSource
  quobyte?*:QuobyteVolumeSource azureDisk?*:AzureDiskVolumeSource
  photonPersistentDisk?*:PhotonPersistentDiskVolumeSource projected?*:ProjectedVolumeSource
  portworxVolume?*:PortworxVolumeSource scaleIO?*:ScaleIOVolumeSource storageos?*:StorageOSVolumeSource
  csi?*:CSIVolumeSource ephemeral?*:EphemeralVolumeSource
HostPathVolumeSource path:string type?*:HostPathType
EmptyDirVolumeSource medium?:StorageMedium sizeLimit?*:Quantity
GCEPersistentDiskVolumeSource pdName:string fsType?:string partition?:int32 readOnly?:bool
AWSElasticBlockStoreVolumeSource volumeID:string fsType?:string partition?:int32 readOnly?:bool
GitRepoVolumeSource repository:string revision?:string directory?:string
SecretVolumeSource secretName?:string items?:[KeyToPath] defaultMode?*:int32 optional?*:bool
KeyToPath key:string path:string mode?*:int32
NFSVolumeSource server:string path:string readOnly?:bool
ISCSIVolumeSource targetPortal:string iqn:string lun:int32 iscsiInterface?:string fsType?:string readOnly?:bool
  portals?:[string] chapAuthDiscovery?:bool chapAuthSession?:bool secretRef?*:LocalObjectReference
  initiatorName?*:string
GlusterfsVolumeSource endpoints:string path:string readOnly?:bool
PersistentVolumeClaimVolumeSource claimName:string readOnly?:bool
RBDVolumeSource monitors:[string] image:string fsType?:string pool?:string user?:string keyring?:string
  secretRef?*:LocalObjectReference readOnly?:bool
FlexVolumeSource driver:string fsType?:string secretRef?*:LocalObjectReference readOnly?:bool options?:{string}
CinderVolumeSource volumeID:string fsType?:string readOnly?:bool secretRef?*:LocalObjectReference
CephFSVolumeSource monitors:[string] path?:string user?:string secretFile?:string secretRef?*:LocalObjectReference
  readOnly?:bool
FlockerVolumeSource datasetName?:string datasetUUID?:string
DownwardAPIVolumeSource items?:[DownwardAPIVolumeFile] defaultMode?*:int32
DownwardAPIVolumeFile path:string fieldRef?*:ObjectFieldSelector resourceFieldRef?*:ResourceFieldSelector
  mode?*:int32
ObjectFieldSelector apiVersion?:string fieldPath:string
ResourceFieldSelector containerName?:string resource:string divisor:Quantity
FCVolumeSource targetWWNs?:[string] lun?*:int32 fsType?:string readOnly?:bool wwids?:[string]
AzureFileVolumeSource secretName:string shareName:string readOnly?:bool
ConfigMapVolumeSource name?:string items?:[KeyToPath] defaultMode?*:int32 optional?*:bool
VsphereVirtualDiskVolumeSource volumePath:string fsType?:string storagePolicyName?:string storagePolicyID?:string
QuobyteVolumeSource registry:string volume:string readOnly?:bool user?:string group?:string tenant?:string
AzureDiskVolumeSource diskName:string diskURI:string cachingMode?*:AzureDataDiskCachingMode fsType?*:string
  readOnly?*:bool kind?*:AzureDataDiskKind
PhotonPersistentDiskVolumeSource pdID:string fsType?:string
ProjectedVolumeSource sources:[VolumeProjection] defaultMode?*:int32
VolumeProjection secret?*:SecretProjection downwardAPI?*:DownwardAPIProjection configMap?*:ConfigMapProjection
  serviceAccountToken?*:ServiceAccountTokenProjection clusterTrustBundle?*:ClusterTrustBundleProjection
SecretProjection name?:string items?:[KeyToPath] optional?*:bool
DownwardAPIProjection items?:[DownwardAPIVolumeFile]
ConfigMapProjection name?:string items?:[KeyToPath] optional?*:bool
ServiceAccountTokenProjection audience?:string expirationSeconds?*:int64 path:string
ClusterTrustBundleProjection name?*:string signerName?*:string labelSelector?*:LabelSelector optional?*:bool
  path:string
LabelSelector matchLabels?:{string} matchExpressions?:[LabelSelectorRequirement]
LabelSelectorRequirement key:string operator:LabelSelectorOperator values?:[string]
PortworxVolumeSource volumeID:string fsType?:string readOnly?:bool
ScaleIOVolumeSource gateway:string system:string secretRef*:LocalObjectReference sslEnabled?:bool
  protectionDomain?:string storagePool?:string storageMode?:string volumeName?:string fsType?:string readOnly?:bool
StorageOSVolumeSource volumeName?:string volumeNamespace?:string fsType?:string readOnly?:bool
  secretRef?*:LocalObjectReference
CSIVolumeSource driver:string readOnly?*:bool fsType?*:string volumeAttributes?:{string}
  nodePublishSecretRef?*:LocalObjectReference
EphemeralVolumeSource volumeClaimTemplate?*:PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate metadata:ObjectMeta spec:PersistentVolumeClaimSpec
PersistentVolumeClaimSpec accessModes?:[PersistentVolumeAccessMode] selector?*:LabelSelector
  resources:VolumeResourceRequirements volumeName?:string storageClassName?*:string
  volumeMode?*:PersistentVolumeMode dataSource?*:TypedLocalObjectReference dataSourceRef?*:TypedObjectReference
  volumeAttributesClassName?*:string
VolumeResourceRequirements limits?:ResourceList requests?:ResourceList
TypedLocalObjectReference apiGroup*:string kind:string name:string
TypedObjectReference apiGroup*:string kind:string name:string namespace?*:string
`;
